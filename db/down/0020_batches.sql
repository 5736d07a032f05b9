-- down: the rows of batches, with their parameters, and what came of them; messages of theirs that wait in queues fail
drop view report.importfilequeue;
drop table importfilequeue;
