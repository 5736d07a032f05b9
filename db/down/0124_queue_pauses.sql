-- down: which operations are paused; their calls run
do $$
begin
  if to_regclass('pgboss.job') is not null then
    update pgboss.job set blocked = false where blocked and state < 'active';
  end if;
end $$;
drop table queuepause;
