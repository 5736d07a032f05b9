-- down: whether this store is a copy, and the name of its environment
drop table installation;
