ssd-whatif physics dew-point --temp-c 20:60:20 --rh 50:80:30 --format csv --output dew_point_c
