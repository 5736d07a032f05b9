-- down: the check of locked lines above a ledger, beyond the next one
drop function casewright_locked_above(bigint);
