-- down: why queues are stopped or throttled
alter table queuecontrol drop column reason;
