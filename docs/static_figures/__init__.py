"""Static pictures: scales, ticks and marks as SVG, written from arrays without a browser."""
