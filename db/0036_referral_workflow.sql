-- The workflow that a new referral starts.

alter table importfiletemplate add column decisiontemplateid bigint references decisiontemplate;
create index importfiletemplate_decisiontemplateid_idx on importfiletemplate (decisiontemplateid) where decisiontemplateid is not null;

do $$
begin
  execute format('create or replace view report.importfiletemplate with (security_invoker = true) as %s', regexp_replace(pg_get_viewdef('report.importfiletemplate'::regclass), '\n\s*FROM ', ', importfiletemplate.decisiontemplateid FROM '));
  perform casewright_report('importfiletemplate', 'decisiontemplateid');
end $$;
