-- down: the records of Handover
drop view if exists report.handover;
drop table handover;
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -Handover* ', ' ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -Handover* ') > 0;
