-- down: ledgers keep the totals that they have, and nothing keeps them right any more
drop trigger ledgeritem_rollup on ledgeritem;
drop trigger ledgeritem_total_delete on ledgeritem;
drop trigger ledgeritem_total_update on ledgeritem;
drop trigger ledgeritem_total on ledgeritem;
drop function casewright_ledgeritem_rollup();
drop function casewright_ledgeritem_total();
drop function casewright_ledger_total(bigint);
