-- The documents that a secure link shows: those that the message had when it was sent. Documents that are added later are
-- not read by earlier links.
create table securelinkfile (
  securelinkid bigint not null references securelink on delete cascade,
  attachmentid bigint not null references attachment on delete cascade,
  primary key (securelinkid, attachmentid)
);
create index securelinkfile_attachmentid_idx on securelinkfile (attachmentid);
alter table securelinkfile enable row level security;

insert into securelinkfile (securelinkid, attachmentid)
select l.securelinkid, a.attachmentid
from securelink l join attachment a on a.object = 'Message' and a.objectid = l.messageid
where a.createddate <= l.createddate
union
select l.securelinkid, a.attachmentid
from securelink l
join objectlink o on o.primaryobject = 'Message' and o.primaryobjectid = l.messageid and o.linkedobject = 'Attachment'
join attachment a on a.attachmentid = o.linkedobjectid
where o.createddate <= l.createddate;
