ssd-whatif raid "$TESTS/fixtures/studies/array-hot-slot.json"
