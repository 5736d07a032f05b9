-- down: custom fields, with their values and what history keeps of both
do $$
declare
  tablename text;
  viewname text;
  definition text;
begin
  foreach tablename in array array['attachment', 'contact', 'contactmethod', 'decisiondelay', 'importfile', 'importform', 'ledger', 'ledgeritem', 'loan', 'message', 'objectsubscription', 'person', 'process', 'property', 'publicrecord'] loop
    foreach viewname in array case tablename when 'contact' then array['contact', 'organization'] when 'process' then array['process', 'foreclosure'] else array[tablename] end loop
      definition := regexp_replace(pg_get_viewdef(format('report.%I', viewname)::regclass), ',\s+(\w+\.)?custom(?=\s+FROM)', '');
      execute format('drop view report.%I', viewname);
      execute format('create view report.%I with (security_invoker = true) as %s', viewname, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', viewname);
    end loop;
    execute format('alter table %I drop column custom', tablename);
  end loop;
end $$;
drop function casewright_custom_fits(text, text, integer, text[]);
drop function casewright_custom_isday(text);
drop function casewright_custom_integer(text);
drop function casewright_custom_number(text);
drop function casewright_custom_boolean(text);
drop function casewright_custom_date(text);
drop function casewright_custom_timestamp(text);
drop view report.customfield;
drop table customfield;
delete from history where tablename = 'customfield';
update history set old = old - 'custom' where old ? 'custom';
