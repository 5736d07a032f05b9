-- Decision tables that apply themselves to changes of records.
alter table matrix add column appliesto varchar(60) collate "C";
alter table matrix add column applyon varchar(6) collate casewright_text;
alter table matrix add column applycriteria varchar(4000) collate "C";
alter table matrix add column applysequence integer;
alter table matrix add column applyusesummary boolean;
alter table matrix add column applythrowiferror boolean;
