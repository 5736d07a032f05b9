-- down: the worklists with their items and templates; tasks stay
alter table importformtransition drop constraint importformtransition_smartworklisttemplateid_fkey;
alter table importformtemplate drop constraint importformtemplate_smartworklisttemplateid_fkey;
update importformtransition set smartworklisttemplateid = null where smartworklisttemplateid is not null;
update importformtemplate set smartworklisttemplateid = null where smartworklisttemplateid is not null;
drop view report.smartworklisttemplate;
drop table smartworklistmember, smartworklist, smartworklisttemplate;
delete from history where tablename in ('smartworklistmember', 'smartworklist', 'smartworklisttemplate');
