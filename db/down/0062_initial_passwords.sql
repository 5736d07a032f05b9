-- down: which passwords their users have not changed yet; these become ordinary passwords
drop view report.person;
alter table person drop column initialpassworddate;
create view report.person with (security_invoker = true) as select person.personid, person.person, person.status, person.persontype, person.firstname, person.lastname, person.email, person.organizationid, person.roles, person.lockeduntil, person.createddate, person.createdpersonid, person.updateddate, person.updatedpersonid, person.version, person.custom from person;
grant select on report.person to casewright_report, casewright_report_all;
