-- down: the SHA-1 and MD5 of documents; they can be calculated again
create or replace function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ? 'filehash';
  return null;
end $function$;
drop trigger attachment_hashes on attachment;
drop function casewright_attachment_hashes();
do $$
declare
  definition text;
begin
  if to_regclass('report.attachment') is not null then
    definition := regexp_replace(pg_get_viewdef('report.attachment'::regclass),
      ',\s+(\w+\.)?file(sha1|md5)(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.attachment;
    execute 'create view report.attachment with (security_invoker = true) as ' || definition;
    grant select on report.attachment to casewright_report, casewright_report_all;
  end if;
end $$;
alter table attachment drop column filesha1, drop column filemd5;
