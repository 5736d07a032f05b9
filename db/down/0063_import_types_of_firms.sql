-- down: nothing is lost; firms see all import types again
drop policy report_all on importfilemap;
drop policy reach on importfilemap;
create policy reach on importfilemap for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
drop policy report_all on importfiletemplate;
drop policy reach on importfiletemplate;
create policy reach on importfiletemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
