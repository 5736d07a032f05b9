-- The SHA-256 of a sealed file lets whoever knows the rest of its bytes find the numbers in it: sealed files have no hash, neither
-- in their record nor in its history. Clearing it is no change of the record: see casewright.reseal.
create or replace trigger attachment_history after delete or update on attachment for each row
  when (coalesce(current_setting('casewright.reseal', true), '') <> 'on')
  execute function casewright_history();

create function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ? 'filehash';
  return null;
end $function$;
-- After attachment_history, in the order of names.
create trigger attachment_sealed_hash after update on attachment for each row
  when (new.sealed and old.sealed is distinct from true) execute function casewright_attachment_sealed();

-- online: clears the hashes stored before, in short transactions. The marks at the ends of lines keep the block one statement.
do $block$
declare
  done bigint := 0; --
  last bigint; --
begin
  loop
    perform set_config('casewright.reseal', 'on', true); --
    select max(attachmentid) into last
    from (select attachmentid from attachment where attachmentid > done order by attachmentid limit 10000) batch; --
    exit when last is null; --
    update attachment set filehash = null
    where attachmentid > done and attachmentid <= last and sealed and filehash is not null; --
    update history h set old = h.old - 'filehash'
    where h.tablename = 'attachment' and h.recordid > done and h.recordid <= last and h.old ? 'filehash'
      and exists (select from attachment a where a.attachmentid = h.recordid and a.sealed); --
    commit; --
    done := last; --
  end loop; --
end $block$;
update history set old = old - 'filehash'
where tablename = 'attachment' and old ? 'filehash'
  and recordid in (select recordid from history where tablename = 'attachment' and old @> '{"sealed": true}');
