-- down: the indexes that administrators have added, and which searches were slow
do $$
declare
  name text;
begin
  for name in select relname from pg_class
    where relkind = 'i' and relnamespace = 'public'::regnamespace and relname ~ '^searchindex_[0-9]+$'
  loop
    execute format('drop index public.%I', name);
  end loop;
end
$$;
drop table slowsearch;
drop table searchindex;
