-- down: how many limited events each user has caused within the last hour
drop table limitedevent;
