-- Firms see the import types that they may send files to, and the maps of these.
drop policy reach on importfiletemplate;
create policy reach on importfiletemplate for select to casewright_reach, casewright_report using
  (coalesce(extranetenabled, 'No') <> 'No');
create policy report_all on importfiletemplate for select to casewright_report_all using (true);
drop policy reach on importfilemap;
create policy reach on importfilemap for select to casewright_reach, casewright_report using
  (exists (select from importfiletemplate t where t.importfiletemplateid = importfilemap.importfiletemplateid));
create policy report_all on importfilemap for select to casewright_report_all using (true);
