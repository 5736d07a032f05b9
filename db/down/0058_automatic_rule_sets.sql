-- down: which decision tables apply themselves to which records
drop view report.matrix;
alter table matrix drop column appliesto;
alter table matrix drop column applyon;
alter table matrix drop column applycriteria;
alter table matrix drop column applysequence;
alter table matrix drop column applyusesummary;
alter table matrix drop column applythrowiferror;
create view report.matrix with (security_invoker = true) as select matrix.matrixid, matrix.matrix, matrix.status, matrix.matrixtype, matrix.description, matrix.createddate, matrix.createdpersonid, matrix.updateddate, matrix.updatedpersonid, matrix.version from matrix;
grant select on report.matrix to casewright_report, casewright_report_all;
