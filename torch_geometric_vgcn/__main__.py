from torch_geometric_vgcn.cli.main import main

if __name__ == '__main__':
    main()
