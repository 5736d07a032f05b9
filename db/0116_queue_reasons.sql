-- Why a queue is stopped or throttled, for whoever finds it so.
alter table queuecontrol add column reason varchar(300);
