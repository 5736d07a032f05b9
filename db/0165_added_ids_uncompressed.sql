-- The IDs that a large statement added are stored as they are. Compressing them took 4 % of an import of 100,000 ledger
-- lines, and they are deleted after a day.
alter table recordadded alter ids set storage external;
