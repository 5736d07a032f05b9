-- down: indexes of ledger lines that contain empty values again
drop index ledgeritem_childledgerid_present_idx;
create index ledgeritem_childledgerid_idx on ledgeritem (childledgerid);
drop index ledgeritem_referenceledgeritemid_present_idx;
create index ledgeritem_referenceledgeritemid_idx on ledgeritem (referenceledgeritemid);
drop index ledgeritem_ledgertemplateitemid_present_idx;
create index ledgeritem_ledgertemplateitemid_idx on ledgeritem (ledgertemplateitemid);
