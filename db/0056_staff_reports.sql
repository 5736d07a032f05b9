-- Saved statements of staff read these too; no policy lets those of firms find rows.
create policy report_all on maildelivery for select to casewright_report_all using (true);
create policy report_all on militaryservice for select to casewright_report_all using (true);
create policy report_all on smartworklist for select to casewright_report_all using (true);
create policy report_all on smartworklistmember for select to casewright_report_all using (true);
