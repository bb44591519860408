set datafile missing NaN
set grid
set key top right opaque
