-- down: queues that were stopped or throttled run freely
drop table queuecontrol;
