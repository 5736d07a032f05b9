-- down: the records of View and CaseSummary, and who is responsible for each case
drop trigger process_case_created on process;
drop trigger process_case_changed on process;
drop trigger foreclosure_case_changed on foreclosure;
drop trigger bankruptcy_case_changed on bankruptcy;
drop trigger loan_case_changed on loan;
drop trigger property_case_changed on property;
drop trigger contact_case_created on contact;
drop trigger contact_case_deleted on contact;
drop trigger contact_case_changed on contact;
drop trigger decision_case_created on decision;
drop trigger decision_case_deleted on decision;
drop trigger decision_case_changed on decision;
drop trigger decisiondelay_case_created on decisiondelay;
drop trigger decisiondelay_case_deleted on decisiondelay;
drop trigger decisiondelay_case_changed on decisiondelay;
drop trigger importform_case_created on importform;
drop trigger importform_case_deleted on importform;
drop trigger importform_case_changed on importform;
drop trigger decisionstep_case_changed on decisionstep;
drop trigger decisionstep_case_created on decisionstep;
drop trigger decisionsteptemplate_case_changed on decisionsteptemplate;
drop function casewright_case_change_of_milestone();
drop function casewright_case_change_of_step();
drop function casewright_case_change_below();
drop function casewright_case_changed_below(text, bigint);
drop function casewright_case_change_of_loan();
drop function casewright_case_change();
drop function casewright_case_changed(bigint);
drop table casechange;
drop view if exists report.casesummary;
drop table casesummary;
drop view if exists report.view;
drop table view;
do $$
declare
  name text;
  definition text;
begin
  foreach name in array array['process', 'foreclosure', 'bankruptcy'] loop
    if to_regclass('report.' || name) is not null then
      definition := regexp_replace(pg_get_viewdef(('report.' || name)::regclass), ',\s+(\w+\.)?assignedpersonid(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
      execute format('drop view report.%I', name);
      execute format('create view report.%I with (security_invoker = true) as %s', name, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', name);
    end if;
  end loop;
end $$;
alter table process drop column assignedpersonid;
