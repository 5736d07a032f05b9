-- down: how many calls waited in each queue over time
drop table queuesample;
