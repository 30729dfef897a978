ssd-whatif physics rber --help
