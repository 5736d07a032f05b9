-- down: legal holds; documents and cases that they protect can be deleted again
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -AttachmentReleaseHold ', ' ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -AttachmentReleaseHold ') > 0;
drop view if exists report.legalhold;
drop table legalhold;
