-- Whether a task asks for answers that a task of its type, reported complete, did not have.
alter table importform add column isfollowup boolean;
