-- down: the business rules with their stylesheets and history; documents on them stay, below records that are gone
drop view report.businessrule;
drop table businessrule;
delete from history where tablename = 'businessrule';
