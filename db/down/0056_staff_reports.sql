-- down: nothing; saved statements that read these tables are refused
drop policy report_all on maildelivery;
drop policy report_all on militaryservice;
drop policy report_all on smartworklist;
drop policy report_all on smartworklistmember;
drop view if exists report.history, report.maildelivery, report.militaryservice, report.smartworklist,
  report.smartworklistmember;
