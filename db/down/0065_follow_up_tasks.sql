-- down: which tasks ask for answers that reported tasks did not have
alter table importform drop column isfollowup;
