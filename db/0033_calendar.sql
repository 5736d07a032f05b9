-- The business calendar's holidays, and schedules that have a name.

create table holiday (
  holidayid bigint generated always as identity primary key,
  holiday varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  holidaytype varchar(100) collate casewright_text,
  date date not null,
  yearly boolean,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger holiday_history after update or delete on holiday for each row execute function casewright_history();
select casewright_open('holiday', 'configuration');
create view report.holiday with (security_invoker = true) as select holiday.holidayid, holiday.holiday, holiday.status, holiday.holidaytype, holiday.date, holiday.yearly, holiday.createddate, holiday.createdpersonid, holiday.updateddate, holiday.updatedpersonid, holiday.version from holiday;
select casewright_report('holiday', 'holidayid, holiday, status, holidaytype, date, yearly, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger holiday_configuration after insert or update or delete on holiday for each statement execute function casewright_configuration();
-- A day is a holiday once. Where configuration is moved, it is known by its day.
create unique index holiday_date_key on holiday (date);

create table schedule (
  scheduleid bigint generated always as identity primary key,
  schedule varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  scheduletype varchar(100) collate casewright_text,
  schedulename varchar(200) collate casewright_text,
  intervalminutes integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  constraint schedule_times_check check (num_nonnulls(schedulename, intervalminutes) = 1),
  constraint schedule_intervalminutes_check check (intervalminutes between 1 and 525600)
);
create trigger schedule_history after update or delete on schedule for each row execute function casewright_history();
select casewright_open('schedule', 'configuration');
create view report.schedule with (security_invoker = true) as select schedule.scheduleid, schedule.schedule, schedule.status, schedule.scheduletype, schedule.schedulename, schedule.intervalminutes, schedule.createddate, schedule.createdpersonid, schedule.updateddate, schedule.updatedpersonid, schedule.version from schedule;
select casewright_report('schedule', 'scheduleid, schedule, status, scheduletype, schedulename, intervalminutes, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger schedule_configuration after insert or update or delete on schedule for each statement execute function casewright_configuration();
-- Where configuration is moved, a schedule is known by its name.
create unique index schedule_schedule_key on schedule (schedule);

-- A step that waits is looked at again by a schedule.
alter table decisionsteptemplate add constraint decisionsteptemplate_monitorscheduleid_fkey foreign key (monitorscheduleid) references schedule;
