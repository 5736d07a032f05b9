-- down: the records of QueueRetry
drop table queueretrycall;
drop view if exists report.queueretry;
drop table queueretry;
