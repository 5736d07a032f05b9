-- down: all holidays and schedules, with their history
alter table decisionsteptemplate drop constraint decisionsteptemplate_monitorscheduleid_fkey;
drop view report.holiday, report.schedule;
drop table holiday, schedule;
delete from history where tablename in ('holiday', 'schedule');
