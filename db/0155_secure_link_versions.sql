-- A secure link shows the contents of documents that were sent, also after others have replaced them.
alter table securelinkfile add column fileversion integer;
update securelinkfile f
set fileversion = coalesce(
  (select min(v.number) from documentversion v where v.attachmentid = f.attachmentid and v.replaceddate > l.createddate),
  a.fileversion)
from securelink l, attachment a
where l.securelinkid = f.securelinkid and a.attachmentid = f.attachmentid;
alter table securelinkfile alter column fileversion set not null;
