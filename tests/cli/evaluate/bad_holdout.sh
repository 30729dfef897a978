ssd-whatif evaluate --holdout drive
