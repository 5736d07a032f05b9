-- down: which files of earlier versions are sealed; those that are cannot be read afterwards
create or replace function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash' - 'filesha1' - 'filemd5'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ?| array['filehash', 'filesha1', 'filemd5'];
  delete from documentimage where attachmentid = new.attachmentid;
  delete from documentrendition where filehash = old.filehash;
  return null;
end $function$;
drop index documentversion_sealdue_idx;
alter table documentversion drop column sealed, drop column sealdue;
