-- down: the questions, statuses and moves of all forms; tasks keep their answers and statuses
drop view report.importformtransition, report.importformstatus, report.importformquestion, report.importformtemplate;
drop table importformtransition, importformstatus, importformquestion;
alter table importformtemplate drop column instructions, drop column assignedcollectionid, drop column smartworklisttemplateid;
create view report.importformtemplate with (security_invoker = true) as select importformtemplate.importformtemplateid, importformtemplate.importformtemplate, importformtemplate.status, importformtemplate.importformtemplatetype, importformtemplate.appliesto, importformtemplate.repeatable, importformtemplate.extranetenabled, importformtemplate.description, importformtemplate.createddate, importformtemplate.createdpersonid, importformtemplate.updateddate, importformtemplate.updatedpersonid, importformtemplate.version from importformtemplate;
grant select on report.importformtemplate to casewright_report, casewright_report_all;
delete from history where tablename in ('importformtransition', 'importformstatus', 'importformquestion');
