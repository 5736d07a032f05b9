-- down: matrices with their cells, and every version of them
alter table ledgertemplate drop constraint ledgertemplate_invoicematrixid_fkey;
alter table ledgertemplateitem drop constraint ledgertemplateitem_matrixid_fkey;
drop view report.matrixfact, report.matrixmeasure, report.matrixdimension, report.matrix;
drop table matrixcontent, matrixversion, matrixfact, matrixmeasure, matrixdimension, matrix;
drop function casewright_matrix_unsubscribe();
