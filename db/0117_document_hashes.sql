-- SHA-1 and MD5 of documents, for programs that compare by them, beside the SHA-256 by which the platform checks files.
alter table attachment add column filesha1 varchar(40) collate "C", add column filemd5 varchar(32) collate "C";

-- They are of one content: another one has none until they are calculated again. Sealed files have no hashes.
create function casewright_attachment_hashes()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  new.filesha1 := null;
  new.filemd5 := null;
  return new;
end $function$;
create trigger attachment_hashes before update on attachment for each row
  when ((new.filesha1 is not null or new.filemd5 is not null)
    and (new.sealed is true or old.filehash is distinct from new.filehash))
  execute function casewright_attachment_hashes();

create or replace function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash' - 'filesha1' - 'filemd5'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ?| array['filehash', 'filesha1', 'filemd5'];
  return null;
end $function$;
