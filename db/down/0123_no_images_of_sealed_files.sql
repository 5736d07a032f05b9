-- down: images of pages of files that are sealed later are kept again
create or replace function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash' - 'filesha1' - 'filemd5'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ?| array['filehash', 'filesha1', 'filemd5'];
  return null;
end $function$;
