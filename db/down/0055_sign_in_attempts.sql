-- down: the counts of failed sign-ins of the last minutes
drop table signinattempt;
