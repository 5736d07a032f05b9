-- When another user set the password: its user must change it. Passwords from before stay as they are.
alter table person add column initialpassworddate timestamptz;
grant select (initialpassworddate) on person to casewright_report, casewright_report_all;
