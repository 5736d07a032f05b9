-- down: which decision tables apply themselves to which records
alter table matrix drop column appliesto;
alter table matrix drop column applyon;
alter table matrix drop column applycriteria;
alter table matrix drop column applysequence;
alter table matrix drop column applyusesummary;
alter table matrix drop column applythrowiferror;
