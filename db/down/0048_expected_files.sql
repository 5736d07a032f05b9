-- down: which expected files have come or are missing, and since when files wait to be taken
drop table expectedfile;
alter table watchedfile drop column waitingdate, drop column alarmdate;
