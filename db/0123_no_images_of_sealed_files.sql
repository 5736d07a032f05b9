-- The images of a file's pages, and the file in other formats, show the numbers for which it is sealed. A rendition's file is
-- swept like any that nothing refers to; another document with the same content is converted again.
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
delete from documentimage i using attachment a where a.attachmentid = i.attachmentid and a.sealed;
