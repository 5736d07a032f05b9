-- Earlier contents of a document that becomes sealed may have the same protected numbers: their files are sealed too. `sealdue`:
-- the document was sealed before this version; housekeeping queues the call that seals it.
alter table documentversion add column sealed boolean not null default false, add column sealdue boolean not null default false;
create or replace function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash' - 'filesha1' - 'filemd5'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ?| array['filehash', 'filesha1', 'filemd5'];
  delete from documentimage where attachmentid = new.attachmentid;
  delete from documentrendition where filehash = old.filehash;
  update documentversion set sealdue = true where attachmentid = new.attachmentid and not sealed;
  return null;
end $function$;
update documentversion v set sealdue = true from attachment a where a.attachmentid = v.attachmentid and a.sealed;
-- online: housekeeping finds the versions that are to be sealed.
create index concurrently if not exists documentversion_sealdue_idx
  on documentversion (attachmentid) where sealdue;
