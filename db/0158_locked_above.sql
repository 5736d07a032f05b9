-- Returns the first locked line into which a ledger rolls up, through any number of ledgers, also of other firms.
create function casewright_locked_above(belowid bigint)
  returns bigint language sql stable security definer set search_path to 'public', 'pg_temp'
as $function$
  -- No ledger is below itself, so the recursion ends.
  with recursive above (ledgeritemid, ledgerid, islocked) as (
    select ledgeritemid, ledgerid, islocked from ledgeritem where childledgerid = belowid
    union
    select i.ledgeritemid, i.ledgerid, i.islocked from above a join ledgeritem i on i.childledgerid = a.ledgerid
  )
  select min(ledgeritemid) from above where islocked
$function$;
grant execute on function casewright_locked_above(bigint) to casewright_reach;
