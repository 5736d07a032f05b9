-- down: which holds keep a task from being completed; a hold whose workflow is deleted stays, as one of its case
alter table decisiondelay drop constraint decisiondelay_decisionid_fkey, add constraint decisiondelay_decisionid_fkey foreign key (decisionid) references decision on delete set null;
drop function casewright_task_holds(bigint);
