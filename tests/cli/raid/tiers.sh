ssd-whatif raid "$TESTS/fixtures/studies/tiers-two-sites.json"
