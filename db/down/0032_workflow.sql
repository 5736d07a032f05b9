-- down: all workflows with their steps and templates; holds stay, without what they held
do $$
declare
  part record;
begin
  for part in select * from (values
    ('casewright_reach_below(text, bigint)', E'  if parent = ''Decision'' then\n    return (select array[reachorganizationid] from decision where decisionid = parentid and reachorganizationid is not null);\n  end if;\n  if parent = ''DecisionStep'' then\n    return (select array[reachorganizationid] from decisionstep where decisionstepid = parentid and reachorganizationid is not null);\n  end if;\n'),
    ('casewright_reach_spread()', E'  update decision set reachorganizationid = null where object = class and objectid = parentid;\n  if class = ''Decision'' then update decisionstep set reachorganizationid = null where decisionid = parentid; end if;\n'),
    ('casewright_reach_loan_changed()', E'      update decision set reachorganizationid = null where object = ''Loan'' and objectid = new.loanid;\n'),
    ('casewright_reach_process_changed()', E'    update decision set reachorganizationid = null where object = new.recordclass and objectid = new.processid;\n')
  ) as parts(function, lines) loop
    execute replace(pg_get_functiondef(part.function::regprocedure), part.lines, '');
  end loop;
end $$;
drop trigger decisiondelay_hold_insert on decisiondelay;
drop trigger decisiondelay_hold_update on decisiondelay;
drop trigger decisiondelay_hold_delete on decisiondelay;
alter table importform drop constraint importform_decisionstepid_fkey;
alter table decisiondelay drop constraint decisiondelay_decisionid_fkey;
update importform set decisionstepid = null where decisionstepid is not null;
update decisiondelay set decisionid = null where decisionid is not null;
drop view report.decisiondelaytemplate;
alter table decisiondelaytemplate drop column decisiontemplateid, drop column importformtemplateid;
create view report.decisiondelaytemplate with (security_invoker = true) as select decisiondelaytemplate.decisiondelaytemplateid, decisiondelaytemplate.decisiondelaytemplate, decisiondelaytemplate.status, decisiondelaytemplate.decisiondelaytemplatetype, decisiondelaytemplate.appliesto, decisiondelaytemplate.repeatable, decisiondelaytemplate.extranetenabled, decisiondelaytemplate.description, decisiondelaytemplate.onstartparentstatus, decisiondelaytemplate.createddate, decisiondelaytemplate.createdpersonid, decisiondelaytemplate.updateddate, decisiondelaytemplate.updatedpersonid, decisiondelaytemplate.version from decisiondelaytemplate;
grant select on report.decisiondelaytemplate to casewright_report, casewright_report_all;
drop view report.decisionstep, report.decision, report.decisiondependency, report.decisionsteptemplate, report.decisiontemplate;
alter table decision drop constraint decision_parentdecisionstepid_fkey;
drop table decisionstep, decision, decisiontemplatecontent, decisiontemplateversion, decisiondependency, decisionsteptemplate, decisiontemplate;
drop function casewright_holds(bigint), casewright_hold_decision(bigint), casewright_hold_lock(text, bigint), casewright_range_minutes(tstzmultirange), casewright_decisiondelay_hold(), casewright_decision_hold(), casewright_decisionstep_hold(), casewright_reach_decision(), casewright_reach_decisionstep();
